import * as kda from 'aws-cdk-lib/aws-kinesisanalytics';
new kda.CfnApplicationV2(this, 'J', { slots: 4 });
